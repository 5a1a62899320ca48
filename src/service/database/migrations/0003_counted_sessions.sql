CREATE TABLE "counted_sessions" (
	"name" text PRIMARY KEY NOT NULL
);
