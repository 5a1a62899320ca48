import type { Routing } from '#shared/tunnel/state.ts';
import type { HelperLab } from '../../helper/support/helper-lab.ts';
import type { Places } from '../../helper/support/deaths/places.ts';
import type { TestClient } from '../../helper/support/callers/test-client.ts';
import type { Random } from './random.ts';
import type { Model } from './tunnel-model.ts';

/** What a sequence works with; `client` is another after a helper or an app has been killed. */
export interface Run {
  net: HelperLab;
  /** An administrator's, who may do what any owner may. */
  client: TestClient;
  /** On which each of the users is that user to the helper. */
  sockets: Readonly<Record<number, string>>;
  places: Places;
  model: Model;
  random: Random;
  routings: readonly Routing[];
  /** Where the proxy was last. */
  proxy: string | undefined;
}

/** Something that happens to the machine: does it, and says in the model what has become of it. */
export interface Action {
  name: string;
  isPossible: (model: Model) => boolean;
  act: (run: Run) => Promise<void>;
}
