CREATE SEQUENCE "public"."ledger_numbers" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "entitlements" (
	"user_id" uuid NOT NULL,
	"from" timestamp with time zone NOT NULL,
	"to" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"seats" integer NOT NULL,
	"server_level" integer,
	"devices" integer,
	"traffic" bigint DEFAULT 0 NOT NULL,
	"rate" integer NOT NULL,
	"sources" jsonb NOT NULL,
	CONSTRAINT "entitlements_user_id_from_pk" PRIMARY KEY("user_id","from")
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" bigint PRIMARY KEY DEFAULT nextval('ledger_numbers') NOT NULL,
	"user_id" uuid,
	"source" text NOT NULL,
	"service" text NOT NULL,
	"seats" integer NOT NULL,
	"server_level" integer,
	"devices" integer,
	"traffic" bigint DEFAULT 0 NOT NULL,
	"rate" integer NOT NULL,
	"duration_ms" bigint NOT NULL,
	"members" integer NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "grants_source_unique" UNIQUE("source")
);
--> statement-breakpoint
CREATE TABLE "plan_kinds" (
	"service" text PRIMARY KEY NOT NULL,
	"server_level" integer,
	"devices" integer,
	"traffic" bigint DEFAULT 0 NOT NULL,
	"rate" integer
);
--> statement-breakpoint
CREATE TABLE "revocations" (
	"id" bigint PRIMARY KEY DEFAULT nextval('ledger_numbers') NOT NULL,
	"source" text NOT NULL,
	"share" double precision NOT NULL,
	"members" integer NOT NULL,
	"revoked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "is_device" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "traffic" ADD COLUMN "since" timestamp with time zone DEFAULT '1970-01-01T00:00:00.000Z' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "service_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "trial_traffic" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "entitlements" ADD CONSTRAINT "entitlements_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "grants_user_id_index" ON "grants" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "revocations_source_index" ON "revocations" USING btree ("source");
--> statement-breakpoint
UPDATE "users" SET "service_id" = "plans"."service_id" FROM "plans" WHERE "plans"."user_id" = "users"."id";--> statement-breakpoint
UPDATE "users" SET "trial_traffic" = "traffic"."rated" FROM "traffic" WHERE "traffic"."user_id" = "users"."id";--> statement-breakpoint
INSERT INTO "grants" ("user_id", "source", "service", "seats", "traffic", "rate", "duration_ms", "members", "granted_at")
SELECT
	"users"."id",
	'before-ledger:' || "users"."id",
	"plans"."service",
	greatest("plans"."seats", "group"."members"),
	"users"."trial_traffic",
	greatest("plans"."seats", "group"."members", 1),
	floor(extract(epoch FROM "plans"."expired_at" - "users"."created_at") * 1000),
	"group"."members",
	"users"."created_at"
FROM "plans"
JOIN "users" ON "users"."id" = "plans"."user_id"
CROSS JOIN LATERAL (SELECT count(*)::integer AS "members" FROM "users" AS "child" WHERE "child"."payer_id" = "users"."id") AS "group"
WHERE "plans"."expired_at" > "users"."created_at";--> statement-breakpoint
INSERT INTO "entitlements" ("user_id", "from", "to", "service", "seats", "traffic", "rate", "sources")
SELECT "user_id", "granted_at", "granted_at" + "duration_ms" * interval '1 millisecond', "service", "seats", "traffic", "rate", jsonb_build_array("source")
FROM "grants";--> statement-breakpoint
UPDATE "traffic" SET "since" = now() FROM "grants" WHERE "grants"."user_id" = "traffic"."user_id";
