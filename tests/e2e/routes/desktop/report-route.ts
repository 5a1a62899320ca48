import { Route } from '../route.ts';

export class ReportRoute extends Route {
  protected readonly path = '/settings/problem-report';
  protected readonly title = 'report.title';

  /** On the page of settings. */
  readonly link = this.named('link', 'report.title');
  readonly description = this.page.getByLabel(this.text('report.description'));
  readonly contents = this.named('region', 'report.contentsText');
  readonly save = this.named('button', 'report.save');
  readonly send = this.named('button', 'report.send');
  readonly saved = this.page.getByText(this.text('report.saved'));
}
