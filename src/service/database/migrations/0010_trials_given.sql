CREATE TABLE "trials_given" (
	"person" text PRIMARY KEY NOT NULL,
	"given_at" timestamp with time zone NOT NULL
);
