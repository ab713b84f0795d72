import { ApiError, defineOperation } from '@svc/service'
import { docsRoute } from '../service.ts'

/** The page made from SECURITY.md. */
const POLICY_PATH = '/developer/security-policy'
const PATH = '/.well-known/security.txt'
const DAY_MS = 86_400_000
/** RFC 9116, section 2.5.5: less than a year. A copy that somebody keeps is wrong for a quarter at most. */
const VALID_DAYS = 90

export const readSecurityTxt = defineOperation({
  id: 'readSecurityTxt',
  method: 'get',
  path: PATH,
  summary: 'Where to report a vulnerability',
  description:
    'The form of RFC 9116. 404 where the operator has given no address. Expires in 90 days, by the time of the request. ' +
    'May be cached for 300 seconds.',
  auth: 'none',
  cacheControl: 'public, max-age=300',
  answer: { status: 200, description: 'Where to report a vulnerability', contentType: 'text/plain' },
  errors: ['not_found'],
})

export const securityRoutes = [
  docsRoute(readSecurityTxt, ({ deps: { config }, now }) => {
    const contact = config.SECURITY_CONTACT ?? ''
    if (contact === '') throw new ApiError('not_found')
    return new Response(securityTxt({ contact, origins: config.PUBLIC_ORIGINS, now }), {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  }),
]

interface Facts {
  /** A URI: `mailto:`, `https://` or `tel:`. */
  readonly contact: string
  /** The hosts that serve the file, the canonical one first. */
  readonly origins: readonly string[]
  readonly now: number
}

export function securityTxt({ contact, origins, now }: Facts): string {
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString().replace('.000Z', 'Z')
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    ...origins.map((origin) => `Canonical: ${origin}${PATH}`),
    `Policy: ${origins[0] ?? ''}${POLICY_PATH}`,
  ]
  return `${lines.join('\n')}\n`
}
