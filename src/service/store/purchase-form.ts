import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { html, type Html } from '../http/html.ts';
import { maxQuantity, type Product } from '../billing/orders.ts';
import type { StoreText, StoreTextKey } from './store-texts.ts';

/** What was entered, right or wrong; shown again when something is wrong. */
export interface PurchaseEntry {
  product: string;
  quantity: string;
  email: string;
}

export type PurchaseErrors = Partial<Record<keyof PurchaseEntry, StoreTextKey>>;

/** A field of a form or query; one that came twice, or not at all, is empty. */
const field = z.string().max(512).catch('');
const purchaseEntry = z.object({ product: field, quantity: field, email: field });

/** The entry of a form's body or a page's query. */
export function readEntry(fields: unknown): PurchaseEntry {
  return purchaseEntry.catch({ product: '', quantity: '', email: '' }).parse(fields);
}

export type CheckedPurchase =
  | { ok: true; product: Product; quantity: number; email: string }
  | { ok: false; errors: PurchaseErrors };

export function checkEntry(entry: PurchaseEntry, products: readonly Product[]): CheckedPurchase {
  const product = products.find(({ id }) => id === entry.product);
  const quantity = /^\d{1,3}$/.test(entry.quantity) ? Number(entry.quantity) : 0;
  const email = entry.email.trim();
  const isQuantity = quantity >= 1 && quantity <= maxQuantity;
  if (product && isQuantity && isEmail(email)) {
    return { ok: true, product, quantity, email: email.toLowerCase() };
  }
  return {
    ok: false,
    errors: {
      ...(!product && { product: 'error.product' }),
      ...(!isQuantity && { quantity: 'error.quantity' }),
      ...(!isEmail(email) && { email: 'error.email' }),
    },
  };
}

export function purchaseForm(form: {
  t: StoreText;
  price: (cents: number) => string;
  products: readonly Product[];
  titleOf: (product: Product) => string;
  entry: PurchaseEntry;
  errors: PurchaseErrors;
  csrfToken: string;
}): Html {
  const { t, products, entry, errors } = form;
  if (products.length === 0) return html`<p>${t('form.noProducts')}</p>`;
  const chosen = products.find(({ id }) => id === entry.product) ?? products[0];
  const error = (name: keyof PurchaseEntry) =>
    errors[name] && html`<p class="error" id="${name}-error">${t(errors[name], { max: maxQuantity })}</p>`;
  const described = (name: keyof PurchaseEntry) =>
    errors[name]
      ? html`aria-invalid="true" aria-describedby="${name}-error ${name}-hint"`
      : html`aria-describedby="${name}-hint"`;
  return html`<form method="post" action="/store/purchase" novalidate>
    <input type="hidden" name="_csrf" value="${form.csrfToken}" />
    ${Object.keys(errors).length > 0 && html`<p class="error" role="alert">${t('error.form')}</p>`}
    <fieldset>
      <legend>${t('form.plan')}</legend>
      ${products.map(
        (product) =>
          html`<label class="product">
            <input
              type="radio"
              name="product"
              value="${product.id}"
              required
              ${product === chosen && html`checked`}
            />
            <strong>${form.titleOf(product)}</strong>
            <span class="price">${form.price(product.price)}</span>
            <span class="hint">${t('form.facts', { days: product.days, seats: product.seats })}</span>
          </label>`,
      )}
      ${error('product') ?? false}
    </fieldset>
    <div class="field">
      <label class="name" for="quantity">${t('form.quantity')}</label>
      <input
        type="number"
        id="quantity"
        name="quantity"
        min="1"
        max="${maxQuantity}"
        required
        value="${entry.quantity || '1'}"
        ${described('quantity')}
      />
      ${error('quantity') ?? false}
      <p class="hint" id="quantity-hint">${t('form.quantityHint')}</p>
    </div>
    <div class="field">
      <label class="name" for="email">${t('form.email')}</label>
      <input
        type="email"
        id="email"
        name="email"
        autocomplete="email"
        required
        value="${entry.email}"
        ${described('email')}
      />
      ${error('email') ?? false}
      <p class="hint" id="email-hint">${t('form.emailHint')}</p>
    </div>
    <div class="buttons"><button type="submit">${t('form.submit')}</button></div>
  </form>`;
}
