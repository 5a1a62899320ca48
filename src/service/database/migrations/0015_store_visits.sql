CREATE TABLE "store_visits" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"visit_hash" text,
	"gateway_user" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "store_visits_visitHash_unique" UNIQUE("visit_hash")
);
--> statement-breakpoint
ALTER TABLE "store_visits" ADD CONSTRAINT "store_visits_gateway_user_devices_gateway_user_fk" FOREIGN KEY ("gateway_user") REFERENCES "public"."devices"("gateway_user") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "store_visits_gateway_user_index" ON "store_visits" USING btree ("gateway_user");--> statement-breakpoint
CREATE INDEX "store_visits_expires_at_index" ON "store_visits" USING btree ("expires_at");