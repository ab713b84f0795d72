/** The development page to pay or decline. It runs no script and exists only on local deployments. */
import type { IntentState } from '@svc/protocol/pay/intents'
import { escapeHtml } from '@svc/service'
import type { StoredIntent } from '../intents/store.ts'

export const CHECKOUT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const STYLE = `
:root{color-scheme:light dark;--soft:#5c5c5c;--act:#0b57d0;--line:#767676}
@media(prefers-color-scheme:dark){:root{--soft:#b4b4b4;--act:#a8c7fa;--line:#8e918f}}
body{font:1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem;line-height:1.2}p.soft{color:var(--soft)}p.price{font-size:2rem;margin:.5rem 0}
button{font:inherit;font-weight:600;margin:1.5rem .75rem 0 0;padding:.7rem 1.4rem;border:1px solid var(--line);border-radius:.4rem;background:Canvas;color:CanvasText;cursor:pointer}
button.act{background:var(--act);border-color:var(--act);color:Canvas}:focus-visible{outline:3px solid var(--act);outline-offset:2px}`

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>`
}

export function checkoutPage({ id, offer }: StoredIntent): string {
  const every = offer.kind === 'subscription' ? `, every ${offer.interval}` : ', once'
  return layout(
    'Development checkout',
    `<p class="soft">Development checkout: no money moves.</p><h1>${escapeHtml(offer.display)}</h1>
<p class="price">${escapeHtml(offer.price.display)}${every}</p>
<form method="post" action="/pay/dev/checkout"><input type="hidden" name="id" value="${escapeHtml(id)}">
<button class="act" name="outcome" value="pay">Pay</button><button name="outcome" value="decline">Decline</button></form>`,
  )
}

export function concludedPage({ id }: StoredIntent, state: IntentState): string {
  const refund = `<form method="post" action="/pay/dev/checkout"><input type="hidden" name="id" value="${escapeHtml(id)}">
<button name="outcome" value="refund">Refund</button></form>`
  return layout(
    'Development checkout',
    `<h1>The payment is ${escapeHtml(state)}</h1><p>You may close this page.</p>${state === 'paid' ? refund : ''}`,
  )
}
