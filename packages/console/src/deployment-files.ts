import { type Configuration, TESTING_SITE_KEY } from './configuration.ts'

export { type Configuration, TESTING_SITE_KEY } from './configuration.ts'

const TURNSTILE = 'https://challenges.cloudflare.com'

/** What differs between deployments, by file name. */
export function deploymentFiles(configuration: Configuration): Readonly<Record<'config.json' | '_headers', string>> {
  return { 'config.json': `${JSON.stringify(configuration, null, 2)}\n`, _headers: headersOf(configuration) }
}

/** Own files only, and the configured services. WebAssembly is for the OPAQUE client; there is no eval and nothing inline. */
export function policyOf({ services, turnstileSiteKey }: Configuration): string {
  const widget = turnstileSiteKey === TESTING_SITE_KEY ? [] : [TURNSTILE]
  const directives: readonly (readonly string[])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", "'wasm-unsafe-eval'", ...widget],
    ['style-src', "'self'"],
    ['img-src', "'self'"],
    ['connect-src', "'self'", ...new Set(Object.values(services))],
    ...(widget.length > 0 ? [['frame-src', ...widget]] : []),
    ['form-action', "'none'"],
    ['frame-ancestors', "'none'"],
    ['base-uri', "'none'"],
  ]
  return directives.map((directive) => directive.join(' ')).join('; ')
}

/** In the form that Cloudflare's static assets read. Names with a hash of the content can be kept forever. */
function headersOf(configuration: Configuration): string {
  const everywhere = {
    'Content-Security-Policy': policyOf(configuration),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy':
      'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
    'Referrer-Policy': 'no-referrer',
    'Strict-Transport-Security': 'max-age=63072000; includeSubDomains; preload',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
  const lines = Object.entries(everywhere).map(([name, value]) => `  ${name}: ${value}`)
  return ['/*', ...lines, '', '/assets/*', '  Cache-Control: public, max-age=31536000, immutable', ''].join('\n')
}
