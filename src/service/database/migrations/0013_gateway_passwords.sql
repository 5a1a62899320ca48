CREATE TABLE "gateway_passwords" (
	"gateway_user" text NOT NULL,
	"place" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "gateway_passwords_gateway_user_place_pk" PRIMARY KEY("gateway_user","place")
);
--> statement-breakpoint
CREATE TABLE "service_key_checks" (
	"hash" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" DROP CONSTRAINT "devices_pkey";--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_device_id_user_id_pk" PRIMARY KEY("device_id","user_id");--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "gateway_user" text;--> statement-breakpoint
UPDATE "devices" SET "gateway_user" = "device_id";--> statement-breakpoint
ALTER TABLE "devices" ALTER COLUMN "gateway_user" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_gatewayUser_unique" UNIQUE("gateway_user");--> statement-breakpoint
ALTER TABLE "gateway_passwords" ADD CONSTRAINT "gateway_passwords_gateway_user_devices_gateway_user_fk" FOREIGN KEY ("gateway_user") REFERENCES "public"."devices"("gateway_user") ON DELETE cascade ON UPDATE no action;
