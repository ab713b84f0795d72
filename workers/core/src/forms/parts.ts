/** What the pages for people share. They work without scripts. */
import { escapeHtml } from '@svc/service'

const STYLE = `
:root{color-scheme:light dark;--line:#767676;--soft:#5c5c5c;--bad:#b3261e;--good:#146c2e;--act:#0b57d0}
@media(prefers-color-scheme:dark){:root{--line:#8e918f;--soft:#b4b4b4;--bad:#f2b8b5;--good:#6dd58c;--act:#a8c7fa}}
*{box-sizing:border-box}body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:0 auto;padding:2rem 1rem;overflow-wrap:anywhere}
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

interface Frame {
  readonly title: string
  readonly steps: readonly string[]
  /** From 1. */
  readonly step: number
}

export function layout({ title, steps, step }: Frame, body: string): string {
  const shown = steps.map((name, i) => `<li${i + 1 === step ? ' aria-current="step"' : ''}>${i + 1}. ${name}</li>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><style>${STYLE}</style></head>
<body><main><ol class="steps" aria-label="Progress">${shown.join('')}</ol>
${body}</main></body></html>`
}

/** Errors come first and are linked, so that screen readers and keyboards reach each one. */
export function errorSummary(errors: Readonly<Record<string, string | undefined>>): string {
  const items = Object.entries(errors).map(
    ([name, text]) => `<li><a href="#${name}">${escapeHtml(text ?? '')}</a></li>`,
  )
  return `<div class="panel wrong" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><ul>${items.join('')}</ul></div>`
}

interface Field {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  /** As HTML. */
  readonly attributes: string
  readonly hint?: string
  readonly isLong?: boolean
}

export function field({ name, label, value, error, attributes, hint, isLong = false }: Field): string {
  const about = error === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-error"`
  const input = isLong
    ? // HTML parsers drop the first line break in a textarea, so add one.
      `<textarea id="${name}" name="${name}" ${attributes}${about}>\n${escapeHtml(value)}</textarea>`
    : `<input id="${name}" name="${name}" value="${escapeHtml(value)}" ${attributes}${about}>`
  const said = error === undefined ? '' : `<p class="bad" id="${name}-error">${escapeHtml(error)}</p>`
  const hinted = hint === undefined ? '' : `<span class="hint">${hint}</span>`
  return `<label for="${name}">${label}${hinted}</label>${input}${said}`
}
