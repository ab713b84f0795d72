import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import type { PageFile } from './store.ts'

/**
 * Only its own files. The script compiles the WebAssembly of the OPAQUE client, which the policy must allow explicitly;
 * no inline script and no eval.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; form-action 'none'; " +
  "frame-ancestors 'none'; base-uri 'none'"

const file = (id: string, path: string, contentType: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary: 'Show the sign-in page of a local deployment',
    description: 'For trying sign-in by hand. Only a local deployment has it; anywhere else it is 404.',
    auth: 'none',
    answer: { status: 200, description: 'The file', contentType },
    errors: ['Not found', 'dependency_unavailable'],
  })
export const readSignInPage = file('readSignInPage', '/sign-in', 'text/html')
export const readSignInStyle = file('readSignInStyle', '/sign-in.css', 'text/css')
export const readSignInScript = file('readSignInScript', '/sign-in.js', 'text/javascript')

async function respond(bytes: Promise<ArrayBuffer | null>, type: string): Promise<Response> {
  const body = await bytes
  if (!body) throw new ApiError('Not found')
  return new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': PAGE_POLICY },
  })
}

const serve =
  (name: PageFile, type: string) => (deps: { page: { read(name: PageFile): Promise<ArrayBuffer | null> } }) =>
    respond(deps.page.read(name), type)
const page = serve('sign-in.html', 'text/html')
const style = serve('sign-in.css', 'text/css')
const script = serve('sign-in.js', 'text/javascript')

export const pageRoutes = [
  authRoute(readSignInPage, ({ deps }) => page(deps)),
  authRoute(readSignInStyle, ({ deps }) => style(deps)),
  authRoute(readSignInScript, ({ deps }) => script(deps)),
]
