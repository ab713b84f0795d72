import { type Configuration, TESTING_SITE_KEY } from './configuration.ts'

export { type Configuration, TESTING_SITE_KEY } from './configuration.ts'

const TURNSTILE = 'https://challenges.cloudflare.com'

/** The same page as `index.html`, with the policy of the pages of sign-in. The host shows it at their addresses. */
export const SIGN_IN_PAGE = 'sign-in.html'

/** What differs between deployments, by file name. */
export function deploymentFiles(configuration: Configuration): Readonly<Record<'config.json' | '_headers', string>> {
  return { 'config.json': `${JSON.stringify(configuration, null, 2)}\n`, _headers: headersOf(configuration) }
}

/**
 * Own files only, and the configured services. Nothing is inline, there is no eval, and the DOM takes no script as text.
 * The pages of sign-in have WebAssembly for the OPAQUE client and, where the operator has set it up, the widget of the
 * bot challenge, whose script does not know Trusted Types.
 */
export function policyOf({ services, turnstileSiteKey }: Configuration, zone: 'sign-in' | 'console'): string {
  const isSignIn = zone === 'sign-in'
  const widget = isSignIn && turnstileSiteKey !== TESTING_SITE_KEY ? [TURNSTILE] : []
  const directives: readonly (readonly string[])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", ...(isSignIn ? ["'wasm-unsafe-eval'"] : []), ...widget],
    ['style-src', "'self'"],
    ['img-src', "'self'"],
    ['connect-src', "'self'", ...new Set(Object.values(services)), services.core.replace(/^http/, 'ws')],
    ['worker-src', "'self'"],
    ...(widget.length > 0 ? [['frame-src', ...widget]] : []),
    ['form-action', "'none'"],
    ['frame-ancestors', "'none'"],
    ['base-uri', "'none'"],
    ...(widget.length > 0
      ? []
      : [
          ['require-trusted-types-for', "'script'"],
          ['trusted-types', 'console'],
        ]),
  ]
  return directives.map((directive) => directive.join(' ')).join('; ')
}

/** In the form that Cloudflare's static assets read. Names with a hash of the content can be kept forever. */
function headersOf(configuration: Configuration): string {
  const everywhere = {
    'Content-Security-Policy': policyOf(configuration, 'console'),
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
  const ofSignIn = [
    `/${SIGN_IN_PAGE}`,
    '  ! Content-Security-Policy',
    `  Content-Security-Policy: ${policyOf(configuration, 'sign-in')}`,
    '',
  ]
  // Their names have a hash. The host serves a header of this file with a file only, never with what is missing.
  const assets = ['/assets/*', '  Cache-Control: public, max-age=31536000, immutable']
  return ['/*', ...lines, '', ...ofSignIn, ...assets, ''].join('\n')
}
