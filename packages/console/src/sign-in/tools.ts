import type { SignedIn } from '@svc/client/sign-in'
import type { Unlocking } from '../account/secret-store.ts'
import type { PageProps } from '../page.ts'
import type { SignInActs } from './acts.ts'
import type { Challenge } from './challenge.ts'
import type { FromProvider } from './provider.ts'

/** What every page of sign-in works with. */
export interface SignInTools {
  /** Origin of core. */
  readonly core: string
  readonly signIn: SignInActs
  readonly challenge: Challenge
  readonly providers: PageProps['configuration']['providers']
  /** Who came back from a provider, until that is used. */
  readonly from: FromProvider | null
  readonly setFrom: (from: FromProvider | null) => void
  readonly enter: (signedIn: SignedIn & { readonly passkeyId?: string }) => Promise<void>
}

/** A signed-in person. */
export interface Entered extends Unlocking {
  readonly method: 'password' | 'passkey'
  readonly hasPassword: boolean
}
