/**
 * One name for the mailbox that an address reaches, whatever its spelling. Providers differ in what they ignore; two
 * mailboxes with one name share a limit, so a table that folds too much costs less than one that folds too little. Pure.
 *
 * @module
 */

interface Provider {
  /** The first is the name of all. */
  readonly domains: readonly [string, ...string[]]
  /** Characters of the local part that make no difference. */
  readonly ignores?: RegExp
}

const PROVIDERS: readonly Provider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignores: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'], ignores: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['yandex.com', 'yandex.ru', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua'], ignores: /[.-]/g },
  { domains: ['outlook.com'] },
  { domains: ['hotmail.com'] },
  { domains: ['live.com'] },
  { domains: ['yahoo.com'] },
  { domains: ['aol.com'] },
  { domains: ['gmx.com', 'gmx.net', 'gmx.de'] },
  { domains: ['web.de'] },
  { domains: ['qq.com'] },
  { domains: ['163.com'] },
]

export interface Mailbox {
  readonly name: string
  /** Its owner has any number of addresses there. Null at a provider, where each address is another person's. */
  readonly domain: string | null
}

/** `address` has passed its schema. A tag after `+` reaches the same mailbox at every provider that knows tags. */
export function mailboxOf(address: string): Mailbox {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  const untagged = local.replace(/\+.*$/, '')
  const provider = PROVIDERS.find(({ domains }) => domains.includes(host))
  if (!provider) return { name: `${untagged}@${host}`, domain: registrableOf(host) }
  const [domain] = provider.domains
  return { name: `${provider.ignores ? untagged.replace(provider.ignores, '') : untagged}@${domain}`, domain: null }
}

/**
 * Names that registries of countries put before their own, as in `co.uk`. A short name that is not among them may be
 * anybody's, with any number of hosts below it.
 */
const REGISTRY_NAMES = new Set('ac co com edu gob gov gr id ind lg me mil ne net nhs nom or org sch web'.split(' '))

/** The part of a host that somebody registers: two labels, or three below one like `co.uk`. */
function registrableOf(host: string): string {
  const labels = host.split('.')
  const isBelowCountry = labels.at(-1)?.length === 2 && REGISTRY_NAMES.has(labels.at(-2) ?? '')
  return labels.slice(isBelowCountry ? -3 : -2).join('.')
}
