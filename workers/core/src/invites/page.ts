/** The page for requesting an invitation: form, validation errors and result. Works without scripts. */
import { escapeHtml } from '@svc/service'
import { errorSummary, field, layout } from '../forms/parts.ts'
import type { Question } from './question.ts'
import { DECIDED_DAYS, OPEN_DAYS } from './rules.ts'

export interface InviteForm {
  readonly email: string
  readonly name: string
  readonly reason: string
}

export type FieldErrors = { readonly [field in keyof InviteForm | 'challenge']?: string }

export interface PageFacts {
  readonly siteKey: string
  /** Turnstile's testing token, if the widget is replaced for local use. */
  readonly dummyToken: string | null
  readonly question: Question | null
}

/** Only Turnstile's widget may run a script and a frame. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  'script-src https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com'

const STEPS = ['Your request', 'Received']

export function formPage(facts: PageFacts, form: InviteForm, errors: FieldErrors): string {
  const broken = Object.keys(errors).length > 0
  const title = 'Request an invitation'
  const input = (name: keyof InviteForm, label: string, attributes: string, isLong = false) =>
    field({ name, label, value: form[name], error: errors[name], attributes, isLong })
  return layout(
    { title: broken ? `There is a problem: ${title}` : title, steps: STEPS, step: 1 },
    `<h1>${title}</h1>
<p>Tell us who you are. We keep what you write here, encrypted, for ${OPEN_DAYS} days, or for ${DECIDED_DAYS} days after we have decided. Then we delete it. We use the address for our answer and for nothing else. All three fields are needed.</p>
${broken ? errorSummary(errors) : ''}
<form method="post" action="/invite-request" novalidate>
${input('email', 'E-mail address', 'type="email" autocomplete="email" maxlength="254" required')}
${input('name', 'Name', 'autocomplete="name" maxlength="200" required')}
${input('reason', 'What would you like to do?', 'maxlength="2000" required', true)}
${challenge(facts, errors.challenge)}
<button type="submit">Send the request</button></form>`,
  )
}

export function receivedPage(): string {
  return layout(
    { title: 'Your request was received', steps: STEPS, step: 2 },
    `<h1>Your request was received</h1>
<div class="panel" role="status"><p>Thank you. When there is a place for you, an activation code comes to the address that you gave, for
<a href="/activation">the page that takes it</a>. You need not send the request again. If nothing has come after ${OPEN_DAYS} days, we have deleted
what you wrote, and you can ask again.</p></div><p><a href="/invite-request">Request another invitation</a></p>`,
  )
}

/** Turnstile if scripts run; otherwise a question in words. */
function challenge({ siteKey, dummyToken, question }: PageFacts, error: string | undefined): string {
  const about = error === undefined ? '' : ' aria-describedby="challenge-error"'
  const wrong = error === undefined ? '' : ' aria-invalid="true"'
  const said = error === undefined ? '' : `<p class="bad" id="challenge-error">${escapeHtml(error)}</p>`
  const widget =
    dummyToken === null
      ? `<div class="cf-turnstile" data-sitekey="${escapeHtml(siteKey)}" data-action="invite"></div>
<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>`
      : `<input type="hidden" name="cf-turnstile-response" value="${escapeHtml(dummyToken)}">`
  const asked =
    question === null
      ? ''
      : `<input type="hidden" name="ticket" value="${escapeHtml(question.ticket)}"><label for="answer">${escapeHtml(question.text)}
<span class="hint">A number, to show that you are a person</span></label><input id="answer" name="answer" value="${escapeHtml(question.answer)}" inputmode="numeric" autocomplete="off" maxlength="3"${wrong}${about}>`
  return `<div id="challenge" role="group" aria-label="Check that you are a person" tabindex="-1"${about}>${widget}<noscript>${asked}</noscript>${said}</div>`
}
