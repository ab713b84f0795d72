/**
 * How a file of the site is served: as HTML or Markdown, with the addresses of this deployment, and only if it changed.
 *
 * @module
 */
import { ApiError, acceptedWeight, namesTag, type StaticFile, type StaticFiles } from '@svc/service'
import { CONTENT_POLICY } from '../service.ts'
import type { Services } from '../services.ts'
import { withConsole } from './console-links.ts'

export const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
}

/** A drawing has its colors in a style element. Firefox holds an SVG image to the policy that it came with. */
const DRAWING_POLICY = { 'content-security-policy': `${CONTENT_POLICY}; style-src 'self' 'unsafe-inline'` }

export async function asset(path: string, { pages }: Services, headers: Headers): Promise<Response> {
  const file = await found(path, pages)
  const type = typeOf(path)
  return served(file, type, headers, type === TYPES['svg'] ? DRAWING_POLICY : {})
}

/** A page as a reader asks for it, or as Markdown in any case. `path` is that of its files, without their endings. */
export async function htmlOrMarkdown(
  path: string,
  deps: Services,
  headers: Headers,
  isTwin = false,
): Promise<Response> {
  const isMarkdown = isTwin || prefersMarkdown(headers.get('accept'))
  const file = await deps.pages.read(`${path}.${isMarkdown ? 'md' : 'html'}`)
  return isMarkdown
    ? served(textOf(file, deps), 'text/markdown', headers, { vary: 'Accept' })
    : served(withOrigin(file, deps), 'text/html', headers, { vary: 'Accept' })
}

export async function found(path: string, pages: StaticFiles): Promise<StaticFile> {
  const file = await pages.find(path)
  if (!file) throw new ApiError('not_found')
  return file
}

function typeOf(file: string): string {
  return TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
}

/**
 * The file with whole addresses, which search engines and networks need: the build does not know the host. In a page only
 * the head has some.
 */
export function withOrigin(file: StaticFile, deps: Services): Shown {
  const { body, etag } = textOf(file, deps)
  const [head = '', ...rest] = body.split(/(?=<\/head>)/)
  return { body: [head.replaceAll('{origin}', deps.config.PUBLIC_ORIGINS[0] ?? ''), ...rest].join(''), etag }
}

/** The text of a page, which may lead to the console. */
export function textOf({ body, etag }: StaticFile, { config }: Services) {
  return { body: withConsole(new TextDecoder().decode(body), config.CONSOLE_ORIGIN), etag }
}

interface Shown extends Pick<StaticFile, 'etag'> {
  readonly body: Uint8Array<ArrayBuffer> | string
}

export function served(
  { body, etag }: Shown,
  type: string,
  headers: Headers,
  own: Readonly<Record<string, string>> = {},
): Response {
  const shown = {
    ...own,
    'content-type': /^(?:text|application)\//.test(type) ? `${type}; charset=utf-8` : type,
    ...(etag === null ? {} : { etag }),
  }
  const isKnown = etag !== null && namesTag(headers.get('if-none-match'), etag)
  return isKnown ? new Response(null, { status: 304, headers: shown }) : new Response(body, { headers: shown })
}

/**
 * Whether a reader asks for Markdown: Accept names the type, and HTML not before it. Browsers never do; if Accept names
 * neither, the page is HTML.
 */
function prefersMarkdown(accept: string | null): boolean {
  const markdown = acceptedWeight(accept, 'text/markdown')
  return markdown > 0 && markdown >= acceptedWeight(accept, 'text/html')
}
