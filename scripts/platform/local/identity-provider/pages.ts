import { PEOPLE, type ProviderName } from './people.ts'

const LABELS: Readonly<Record<ProviderName, string>> = { google: 'Google', microsoft: 'Microsoft' }

export const STYLE = `:root { color-scheme: light dark; --line: #767676; --act: #0b57d0; --bad: #b3261e; --soft: #5c5c5c }
@media (prefers-color-scheme: dark) { :root { --line: #8e918f; --act: #a8c7fa; --bad: #f2b8b5; --soft: #b4b4b4 } }
* { box-sizing: border-box }
html { background: Canvas; color: CanvasText }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 0.5rem }
p { margin: 0 0 1rem }
.note { color: var(--soft) }
.fault { color: var(--bad); font-weight: 600 }
fieldset { border: 1px solid var(--line); border-radius: 0.5rem; margin: 0 0 1rem; padding: 0.5rem 1rem 1rem }
legend { font-weight: 600; padding: 0 0.25rem }
.choice { display: flex; gap: 0.75rem; align-items: center; padding: 0.5rem 0; min-height: 2.75rem }
.choice small { display: block; color: var(--soft) }
input[type='radio'], input[type='checkbox'] { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--act) }
.field { display: block; font-weight: 600; margin: 0.5rem 0 0.25rem }
input[type='text'], input[type='email'] { font: inherit; width: 100%; padding: 0.5rem; border: 1px solid var(--line);
  border-radius: 0.375rem; background: Canvas; color: CanvasText }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem }
button { font: inherit; font-weight: 600; padding: 0.6rem 1.1rem; border: 2px solid var(--act); border-radius: 0.375rem;
  background: var(--act); color: Canvas; cursor: pointer }
button.plain { background: Canvas; color: var(--act) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
`

/** Asks who signs in, and whether they go on. Works without scripts. */
export function choicePage(provider: ProviderName, action: string, fault?: string): string {
  const label = LABELS[provider]
  const people = PEOPLE.map(
    ({ name, email, isVerified }, index) => `<label class="choice">
<input type="radio" name="person" value="${email}"${index === 0 && fault === undefined ? ' checked' : ''}>
<span>${name} <small>${email}${isVerified ? '' : ', not verified'}</small></span></label>`,
  )
  return page(
    `${label}, on this machine`,
    `<h1>Choose an account</h1>
<p class="note">This page stands in for ${label} on your machine. Nothing is sent to ${label}.</p>
${fault === undefined ? '' : `<p class="fault" role="alert">${fault}</p>`}
<form method="post" action="${action}">
<fieldset><legend>Account</legend>
${people.join('\n')}
<label class="choice"><input type="radio" name="person" value=""${fault === undefined ? '' : ' checked'}> <span>Someone else</span></label>
<label class="field" for="name">Name</label>
<input id="name" name="name" type="text" autocomplete="off">
<label class="field" for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="off">
<label class="choice"><input type="checkbox" name="verified" checked> <span>${label} has verified this address</span></label>
</fieldset>
<div class="actions">
<button name="answer" value="approve">Continue</button>
<button name="answer" value="decline" class="plain" formnovalidate>Cancel</button>
</div>
</form>`,
  )
}

export function homePage(issuers: Readonly<Record<ProviderName, string>>): string {
  const rows = Object.entries(issuers).map(
    ([name, issuer]) =>
      `<li>${LABELS[name as ProviderName]}: <a href="${issuer}/.well-known/openid-configuration">${issuer}</a></li>`,
  )
  return page(
    'Identity providers on this machine',
    `<h1>Identity providers on this machine</h1>
<p>Two OpenID Connect providers that stand in for Google and Microsoft while you develop. Anyone can sign in as anyone, so
they are not part of a deployment.</p>
<ul>${rows.join('')}</ul>`,
  )
}

export function expiredPage(): string {
  return page(
    'Start again',
    '<h1>This sign-in has ended</h1><p>Go back to the page that sent you here, and start again.</p>',
  )
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head><body><main>
${body}
</main></body></html>`
}
