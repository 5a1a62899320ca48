/** A problem report under the user's description of the problem, if there is one. */
export function describedReport(report: string, description: string): string {
  const own = description.trim();
  return own === '' ? report : `== What happened ==\n${own}\n\n${report}`;
}
