import { expect, test } from '../fixtures.ts';
import { EditAppRoute } from '../routes/app-form-route.ts';
import { texts } from '../support/screens/texts.ts';

test.describe('spec §2 on the web, where only the lists are left to the desktop app', () => {
  test('/apps/{id} of an entry that is not there says so', async ({ signedInConsole: page }) => {
    await new EditAppRoute(page).open('/00000000-0000-4000-8000-000000000000');
    await expect(page.getByText(texts.en['appForm.unknown'])).toBeVisible();
  });
});
