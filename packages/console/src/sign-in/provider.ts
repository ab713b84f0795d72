import { inTab } from '../kept/web-storage.ts'
import type { SignInActs } from './acts.ts'

export type ProviderName = 'google' | 'microsoft'
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = { google: 'Google', microsoft: 'Microsoft' }

/** Kept while the person is at the provider. The verifier makes the ticket worthless to anybody else. */
const VERIFIER = 'svc-onboarding-verifier'

export type FromProvider = Awaited<ReturnType<SignInActs['verifyTicket']>>

/** Leaves for the provider, which sends the person back to the page of sign-in. */
export async function leaveFor(signIn: SignInActs, provider: ProviderName): Promise<void> {
  const { url, verifier } = await signIn.startOnboarding(provider, `${location.origin}/sign-in`)
  inTab.set(VERIFIER, verifier)
  location.assign(url)
}

/** Who came back. The ticket is taken out of the address before anything else. */
export async function cameBack(signIn: SignInActs): Promise<FromProvider | 'declined' | 'failed' | null> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const verifier = inTab.get(VERIFIER)
  inTab.delete(VERIFIER)
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  if (fragment.has('error')) return fragment.get('error') === 'declined' ? 'declined' : 'failed'
  const ticket = fragment.get('ticket')
  return ticket === null || verifier === null ? null : signIn.verifyTicket(ticket, verifier)
}
