ALTER TABLE "servers" ADD COLUMN "country" text;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "city" text;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "load" double precision;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_country" CHECK ("servers"."country" ~ '^[A-Z]{2}$');--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_city" CHECK (length("servers"."city") <= 100);--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_load" CHECK ("servers"."load" between 0 and 1);