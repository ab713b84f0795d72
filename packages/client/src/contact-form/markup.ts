/** What the contact form shows: one template for all instances, and a style sheet that works under any style policy. */

import { pure } from '#protocol/base/pure'
import { PRIVATE_LINK, PRIVATE_LINK_STYLE, REPLY_CHOICE } from './private-link.ts'
import type { Field } from './view.ts'

const STYLE = `
:host{display:block;color-scheme:light dark;overflow-wrap:anywhere;font:1rem/1.5 system-ui,sans-serif;max-width:36rem;color:CanvasText;
--line:#767676;--soft:#5c5c5c;--bad:#b3261e;--good:#146c2e;--act:#0b57d0}
@media(prefers-color-scheme:dark){:host{--line:#8e918f;--soft:#b4b4b4;--bad:#f2b8b5;--good:#6dd58c;--act:#a8c7fa}}
*{box-sizing:border-box}[hidden]{display:none!important}
h2{font-size:1.25rem;line-height:1.25;margin:0 0 .5rem}p{margin:.5rem 0}
label{display:block;font-weight:600;margin:1.1rem 0 .25rem}.hint{display:block;font-weight:400;color:var(--soft);font-size:.9rem}
input,textarea{font:inherit;width:100%;padding:.6rem;border:1px solid var(--line);border-radius:.4rem;background:Canvas;color:CanvasText}
textarea{display:block;min-height:8rem;resize:vertical}[aria-invalid=true]{border-color:var(--bad);border-width:2px}
.bad{color:var(--bad);font-weight:600;margin:.25rem 0 0}.panel{border-left:.3rem solid var(--bad);padding:.5rem 1rem;margin:1rem 0}
.panel.good{border-color:var(--good)}.panel.plain{border-color:var(--line)}.did{overflow-wrap:anywhere}:focus-visible{outline:3px solid var(--act);outline-offset:2px}
h2:focus-visible{outline-offset:4px}.row{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem;align-items:center}
button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border:0;border-radius:.4rem;background:var(--act);color:Canvas;cursor:pointer}
button.plain{background:none;color:var(--act);padding:.7rem .25rem;text-decoration:underline}
button[aria-disabled=true]{cursor:progress;opacity:.9}#status{color:var(--soft);min-height:1.5rem}
${PRIVATE_LINK_STYLE}`

const fieldMarkup = (name: Field, label: string, attributes: string, hint = '') => `
<label for="${name}">${label}${hint === '' ? '' : `<span class="hint" id="${name}-hint">${hint}</span>`}</label>
${name === 'message' ? `<textarea id="${name}" name="${name}" ${attributes}></textarea>` : `<input id="${name}" name="${name}" ${attributes}>`}
<p class="bad" id="${name}-error" hidden></p>`

const MARKUP = /* @__PURE__ */ pure(
  () => `
<div id="problem" class="panel" role="alert" tabindex="-1" hidden></div>
<form id="form-step" novalidate aria-labelledby="form-title">
<h2 id="form-title" tabindex="-1">Write to the owner</h2>
<p>Your message is encrypted in this browser. <span id="reader-pinned">Only the owner can read it: <strong class="did" id="pinned-owner"></strong></span><span id="reader-claimed">Before you send it, you see whose key it is encrypted to.</span></p>
${fieldMarkup('name', 'Your name', 'autocomplete="name" maxlength="200" required')}
${fieldMarkup('email', 'Your e-mail address', 'type="email" autocomplete="email" maxlength="254" required', 'A code comes to it. It is then forgotten by the service.')}
${fieldMarkup('subject', 'Subject', 'maxlength="200" required')}
${fieldMarkup('message', 'Message', 'maxlength="12000" required')}
${REPLY_CHOICE}
<slot name="challenge"></slot>
<div class="row"><button type="submit">Send me a code</button></div>
</form>
<form id="code-step" novalidate aria-labelledby="code-title" hidden>
<h2 id="code-title" tabindex="-1">Enter the code from your mail</h2>
<p>We sent six digits to <strong id="sent-to"></strong>. They serve for ten minutes.</p>
<div id="recipient" class="panel"><p id="recipient-title"></p><p><strong class="did" id="recipient-did"></strong></p><p id="recipient-note" class="hint"></p></div>
${fieldMarkup('code', 'Code', 'inputmode="numeric" autocomplete="one-time-code" maxlength="6" required')}
<div class="row"><button type="submit">Encrypt and send</button>
<button type="button" class="plain" id="resend">Send another code</button>
<button type="button" class="plain" id="back">Back</button></div>
</form>
<section id="done-step" aria-labelledby="done-title" hidden>
<h2 id="done-title" tabindex="-1">Your message was sent</h2>
<div class="panel good"><p>It was encrypted for <strong class="did" id="sent-did"></strong> before it left this browser.</p></div>
${PRIVATE_LINK}
</section>
<p id="status" role="status"></p>`,
)

/** Renders into a shadow root, once per element. */
export function paint(root: ShadowRoot): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
  const template = document.createElement('template')
  template.innerHTML = MARKUP
  root.append(template.content)
}
