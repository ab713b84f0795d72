/**
 * The host of the console: answers what no file answers. Files are served before this runs, with the headers of
 * `_headers`; the ones below `/assets/` for good. So nothing else may be answered there: a browser that kept a page in the
 * place of a script would be broken for a year.
 *
 * @module
 */
import { SIGN_IN_PAGE } from '../deployment-files.ts'
import { policyZoneOf } from '../policy-zones.ts'

interface Environment {
  /** The files of the build. They have no fallback of their own. */
  readonly FILES: { fetch(request: Request): Promise<Response> }
}

const REFUSAL_HEADERS = {
  Allow: 'GET, HEAD',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Content-Type': 'text/plain; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains; preload',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

export default {
  async fetch(request: Request, { FILES }: Environment): Promise<Response> {
    if (!['GET', 'HEAD'].includes(request.method)) return refused(405, 'Method not allowed')
    const file = await FILES.fetch(request)
    if (file.status !== 404) return file
    const url = new URL(request.url)
    if (!isVisit(request, url.pathname)) return refused(404, 'Not found')
    url.pathname = policyZoneOf(url.pathname) === 'sign-in' ? `/${SIGN_IN_PAGE}` : '/index.html'
    return FILES.fetch(new Request(url, request))
  },
}

function refused(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: REFUSAL_HEADERS })
}

/** Whether a person visits a page, rather than a program asks for a file. The start page is one for both. */
function isVisit({ headers }: Request, path: string): boolean {
  if (path === '/') return true
  const isFile = path.startsWith('/assets/') || /\.\w+$/.test(path)
  return !isFile && (headers.get('accept') ?? '').includes('text/html')
}
