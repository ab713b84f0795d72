/** The page where a person types a code that gives an identity a tier. Runs no script. */
import type { Licence } from '@svc/protocol/pay/licences'
import { escapeHtml } from '@svc/service'
import { errorSummary, field, layout } from '../forms/parts.ts'

export interface CodeForm {
  readonly code: string
  readonly did: string
}
export type CodeErrors = { readonly [name in keyof CodeForm]?: string }

export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const STEPS = ['Your code', 'Redeemed']
const TITLE = 'Redeem a code'

export function codePage(form: CodeForm, errors: CodeErrors): string {
  const isBroken = Object.keys(errors).length > 0
  const code = {
    name: 'code',
    label: 'Code',
    hint: 'Sixteen letters and digits. Capitals, hyphens and spaces make no difference',
    attributes: 'autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="64" required',
  }
  const did = {
    name: 'did',
    label: 'Identity',
    hint: 'The identifier that your application shows, such as did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh',
    attributes: 'autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required',
  }
  return layout(
    { title: isBroken ? `There is a problem: ${TITLE}` : TITLE, steps: STEPS, step: 1 },
    `<h1>${TITLE}</h1>
<p>A code gives an identity a tier for some time. It works once, for the identity that you name here, and that cannot be changed later.</p>
${isBroken ? errorSummary(errors) : ''}
<form method="post" action="/activation" novalidate>
${field({ ...code, value: form.code, error: errors.code })}
${field({ ...did, value: form.did, error: errors.did })}
<button type="submit">Redeem the code</button></form>
<h2>With the key of the identity</h2>
<p>An application that holds the key redeems a code by a signed request: <code>client.entitlement.redeem(code)</code>.</p>`,
  )
}

export function redeemedPage(did: string, { tier, expiresAt }: Licence): string {
  const until = expiresAt === null ? '' : `, until ${dateOf(expiresAt)}`
  return layout(
    { title: 'The code was redeemed', steps: STEPS, step: 2 },
    `<h1>The code was redeemed</h1>
<div class="panel" role="status"><p>${escapeHtml(did)} has the tier ${escapeHtml(tier ?? 'notes')}${until}.</p></div>
<p><a href="/activation">Redeem another code</a></p>`,
  )
}

const dateOf = (at: number) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at).concat(' UTC')
