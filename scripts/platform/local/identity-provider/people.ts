import { createHash } from 'node:crypto'

export const PROVIDER_NAMES = ['google', 'microsoft'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]

/** Somebody with an account at the provider. */
export interface Person {
  readonly name: string
  readonly email: string
  /** Whether the provider says that the address is theirs. */
  readonly isVerified: boolean
}

/** Offered on the page; any other can be typed. */
export const PEOPLE: readonly Person[] = [
  { name: 'Ada Lovelace', email: 'ada@example.org', isVerified: true },
  { name: 'Grace Hopper', email: 'grace@example.org', isVerified: true },
  { name: 'Alan Turing', email: 'alan@example.org', isVerified: false },
]

/** The same for an address at every start, so that an account that was created with it is found again. */
export function subjectOf(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex').slice(0, 21)
}

/** Google says `email_verified`; Microsoft vouches for an address with `xms_edov` only. */
export function claimsOf(provider: ProviderName, sub: string, { email, isVerified }: Person) {
  const vouched = provider === 'google' ? { email_verified: isVerified } : { xms_edov: isVerified }
  return { sub, email, ...vouched }
}

/** The person that the form names, or what is wrong with it. */
export function personOf(fields: URLSearchParams): Person | { readonly fault: string } {
  const chosen = fields.get('person') ?? ''
  const known = PEOPLE.find(({ email }) => email === chosen)
  if (known) return known
  const [name, email] = [fields.get('name')?.trim() ?? '', fields.get('email')?.trim() ?? '']
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return { fault: 'Enter an e-mail address, such as maria@example.org.' }
  return { name: name || email, email, isVerified: fields.has('verified') }
}
