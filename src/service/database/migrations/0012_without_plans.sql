DROP TABLE "plans" CASCADE;--> statement-breakpoint
ALTER TABLE "traffic" DROP COLUMN "rated";