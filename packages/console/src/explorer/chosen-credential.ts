import type { Credential } from './asserters.ts'

const CREDENTIALS: readonly unknown[] = ['nobody', 'own', 'throw-away'] satisfies Credential[]

/** Who was chosen to sign at this place of the history, also before the page was loaded again; null if nobody chose. */
export function chosenCredential(): Credential | null {
  const { signedBy } = (history.state ?? {}) as { readonly signedBy?: unknown }
  return isCredential(signedBy) ? signedBy : null
}

export function rememberCredential(signedBy: Credential): void {
  history.replaceState({ signedBy }, '')
}

const isCredential = (value: unknown): value is Credential => CREDENTIALS.includes(value)
