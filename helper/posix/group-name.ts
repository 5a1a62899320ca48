/** The name of a group, as the tools that make them allow it (groupadd(8)). */
export const groupName = /^[a-z_][a-z0-9_-]{0,31}$/;
