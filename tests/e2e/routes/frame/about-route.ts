import { Route } from '../route.ts';

export class AboutRoute extends Route {
  protected readonly path = '/about-us';
  protected readonly title = 'about.title';

  readonly mission = this.named('region', 'about.missionTitle');
  readonly features = this.named('region', 'about.featuresTitle');
  readonly team = this.named('region', 'about.teamTitle');
}
