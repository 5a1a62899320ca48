CREATE UNLOGGED TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"full_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_codes" ADD COLUMN "is_known_device" boolean DEFAULT false NOT NULL;