/** The page for requesting an invitation: form, validation errors and result. Works without scripts. */
import { escapeHtml } from '@svc/service'
import type { Question } from './question.ts'

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

const STYLE = `
:root{color-scheme:light dark;--line:#767676;--soft:#5c5c5c;--bad:#b3261e;--good:#146c2e;--act:#0b57d0}
@media(prefers-color-scheme:dark){:root{--line:#8e918f;--soft:#b4b4b4;--bad:#f2b8b5;--good:#6dd58c;--act:#a8c7fa}}
*{box-sizing:border-box}body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.1rem;margin:.25rem 0}a{color:var(--act)}
ol.steps{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:0 0 1.5rem}
ol.steps li{color:var(--soft)}ol.steps li[aria-current]{color:inherit;font-weight:600;border-bottom:3px solid var(--act)}
label{display:block;font-weight:600;margin:1.25rem 0 .25rem}.hint{display:block;font-weight:400;color:var(--soft);font-size:.9rem}
input,textarea{font:inherit;width:100%;padding:.6rem;border:1px solid var(--line);border-radius:.4rem;background:Canvas;color:CanvasText}
textarea{display:block;min-height:7rem}[aria-invalid=true]{border-color:var(--bad);border-width:2px}
.bad{color:var(--bad);font-weight:600;margin:.25rem 0 0}:focus-visible{outline:3px solid var(--act);outline-offset:2px}
button{font:inherit;font-weight:600;margin-top:1.75rem;padding:.7rem 1.4rem;border:0;border-radius:.4rem;background:var(--act);color:Canvas;cursor:pointer}
.panel{border-left:.3rem solid var(--good);padding:.5rem 1rem;margin:1rem 0}.panel.wrong{border-color:var(--bad)}
.panel p{margin:0}.panel ul{margin:.25rem 0;padding-left:1.2rem}`

/** Only Turnstile's widget may run a script and a frame. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  'script-src https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com'

function layout(title: string, step: 1 | 2, body: string): string {
  const current = (mine: number) => (mine === step ? ' aria-current="step"' : '')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><style>${STYLE}</style></head>
<body><main><ol class="steps" aria-label="Progress"><li${current(1)}>1. Your request</li><li${current(2)}>2. Received</li></ol>
${body}</main></body></html>`
}

export function formPage(facts: PageFacts, form: InviteForm, errors: FieldErrors): string {
  const broken = Object.keys(errors).length > 0
  const title = 'Request an invitation'
  return layout(
    broken ? `There is a problem: ${title}` : title,
    1,
    `<h1>${title}</h1>
<p>Tell us who you are. We keep what you write here until we have looked at it, and use the address for nothing else. All three fields are needed.</p>
${broken ? summary(errors) : ''}
<form method="post" action="/invite-request" novalidate>
${field('email', 'E-mail address', form.email, errors.email, 'type="email" autocomplete="email" maxlength="254" required')}
${field('name', 'Name', form.name, errors.name, 'autocomplete="name" maxlength="200" required')}
${field('reason', 'What would you like to do?', form.reason, errors.reason, 'maxlength="2000" required', true)}
${challenge(facts, errors.challenge)}
<button type="submit">Send the request</button></form>`,
  )
}

export function receivedPage(): string {
  return layout(
    'Your request was received',
    2,
    `<h1>Your request was received</h1>
<div class="panel" role="status"><p>Thank you. When there is a place for you, an activation code comes to the address that you gave. You need
not send the request again.</p></div><p><a href="/invite-request">Request another invitation</a></p>`,
  )
}

/** Errors come first and are linked, so that screen readers and keyboards reach each one. */
function summary(errors: FieldErrors): string {
  const items = Object.entries(errors).map(([name, text]) => `<li><a href="#${name}">${escapeHtml(text)}</a></li>`)
  return `<div class="panel wrong" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><ul>${items.join('')}</ul></div>`
}

function field(
  name: keyof InviteForm,
  label: string,
  value: string,
  error: string | undefined,
  attributes: string,
  isLong = false,
): string {
  const about = error === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-error"`
  const input = isLong
    ? // HTML parsers drop the first line break in a textarea, so add one.
      `<textarea id="${name}" name="${name}" ${attributes}${about}>\n${escapeHtml(value)}</textarea>`
    : `<input id="${name}" name="${name}" value="${escapeHtml(value)}" ${attributes}${about}>`
  const said = error === undefined ? '' : `<p class="bad" id="${name}-error">${escapeHtml(error)}</p>`
  return `<label for="${name}">${label}</label>${input}${said}`
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
<span class="hint">A number, to show that you are a person</span></label><input id="answer" name="answer" inputmode="numeric" autocomplete="off" maxlength="3"${wrong}${about}>`
  return `<div id="challenge" role="group" aria-label="Check that you are a person" tabindex="-1"${about}>${widget}<noscript>${asked}</noscript>${said}</div>`
}
