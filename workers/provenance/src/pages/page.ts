/** The static pages of this host. They have no script, image or form, and load one style that their policy names. */
import { escapeHtml } from '@svc/service'

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #8888}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}:focus-visible{outline:3px solid;outline-offset:2px}`

/** One row of the table of endpoints. */
export interface ListedEndpoint {
  readonly method: string
  readonly path: string
  readonly auth: string
  readonly summary: string
}

export function bannerPage(version: string): string {
  return page(
    'Provenance service',
    `<p>Version ${escapeHtml(version)}. Registers signed capsules that were made on a device, verifies signatures and finds
similar works by vectors that a device has computed. No file and no text comes here.</p>
<p>A registration is this service’s record of a signed statement. It is backed by no ledger.</p>
<ul><li><a href="/api/docs">Endpoints</a></li><li><a href="/openapi.json">OpenAPI description</a></li>
<li><a href="/api/capabilities">Capabilities</a></li><li><a href="/health">Health</a></li></ul>`,
  )
}

export function endpointsPage(endpoints: readonly ListedEndpoint[]): string {
  const rows = endpoints.map(
    ({ method, path, auth, summary }) =>
      `<tr><td><code>${escapeHtml(method)} ${escapeHtml(path)}</code></td><td>${escapeHtml(auth)}</td><td>${escapeHtml(summary)}</td></tr>`,
  )
  return page(
    'Endpoints of the provenance service',
    `<p>Shapes, limits and every answer are in the <a href="/openapi.json">OpenAPI description</a>.</p>
<table><thead><tr><th scope="col">Endpoint</th><th scope="col">Credential</th><th scope="col">Purpose</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`,
  )
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}</main></body></html>`
}

/** A page under a content security policy that allows its own style by hash and nothing else. */
export async function pageResponse(html: string): Promise<Response> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  })
}
