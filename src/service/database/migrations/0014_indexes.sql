CREATE INDEX "auth_codes_created_at_index" ON "auth_codes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "license_keys_used_by_index" ON "license_keys" USING btree ("used_by");--> statement-breakpoint
CREATE INDEX "users_payer_id_email_index" ON "users" USING btree ("payer_id","email");