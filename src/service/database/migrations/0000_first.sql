CREATE TABLE "auth_codes" (
	"auth_id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"device_id" text NOT NULL,
	"code_hash" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"device_id" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"gateway_password_hash" text,
	"created_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "page_notes" (
	"id" text PRIMARY KEY NOT NULL,
	"page_name" text NOT NULL,
	"language" text,
	"title" text NOT NULL,
	"html_body" text NOT NULL,
	"click_action" text,
	"redisplay_lock_seconds" integer NOT NULL,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"service_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"service" text NOT NULL,
	"seats" integer NOT NULL,
	"expired_at" timestamp with time zone,
	CONSTRAINT "plans_userId_unique" UNIQUE("user_id")
);
--> statement-breakpoint
CREATE TABLE "server_group_items" (
	"id" text PRIMARY KEY NOT NULL,
	"group_id" text NOT NULL,
	"level" integer NOT NULL,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_groups" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"is_trial" boolean NOT NULL,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"server_id" text PRIMARY KEY NOT NULL,
	"item_id" text NOT NULL,
	"name" text NOT NULL,
	"protocol" text,
	"domain" text NOT NULL,
	"port" integer,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "traffic" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"rated" bigint DEFAULT 0 NOT NULL,
	"in" bigint DEFAULT 0 NOT NULL,
	"out" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "translation_overrides" (
	"language" text NOT NULL,
	"key" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "translation_overrides_language_key_pk" PRIMARY KEY("language","key")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"level" integer DEFAULT 1 NOT NULL,
	"payer_id" uuid,
	"first_order_done" boolean DEFAULT false NOT NULL,
	"trial_expired_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "server_group_items" ADD CONSTRAINT "server_group_items_group_id_server_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."server_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_item_id_server_group_items_id_fk" FOREIGN KEY ("item_id") REFERENCES "public"."server_group_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traffic" ADD CONSTRAINT "traffic_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_payer_id_users_id_fk" FOREIGN KEY ("payer_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "auth_codes_email_created_at_index" ON "auth_codes" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "devices_user_id_index" ON "devices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "page_notes_page_name_index" ON "page_notes" USING btree ("page_name");--> statement-breakpoint
CREATE INDEX "server_group_items_group_id_index" ON "server_group_items" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "servers_item_id_index" ON "servers" USING btree ("item_id");