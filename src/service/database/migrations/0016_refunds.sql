ALTER TABLE "orders" ADD COLUMN "refund_due_at" timestamp with time zone;--> statement-breakpoint
UPDATE "orders" SET "payment_check_at" = now() + ("id" % 1440) * interval '1 minute'
WHERE "paid_at" > now() - interval '180 days' AND "reversed_at" IS NULL AND "payment_check_at" IS NULL;
