import type { SignIn } from '@svc/client/sign-in'
import { chunk } from '../failures/chunk.ts'
import { saidAs } from '../failures/sentences.ts'
import { words } from '../words/failures/words.ts'

/** What people do here with an account. */
export type SignInActs = Pick<
  SignIn,
  'challenge' | 'logIn' | 'register' | 'registerPasskey' | 'startOnboarding' | 'usePasskey' | 'verifyTicket'
> & { readonly canAutofill: () => Promise<boolean> }

/** By the SDK, which is loaded by the first of them: after the page is shown. */
export function signInActs(auth: string): SignInActs {
  let made: SignIn | undefined
  const loaded = async () => {
    const { SignIn } = await chunk(() => import('./sdk.ts'))
    made ??= new SignIn({ auth })
    return made
  }
  return {
    canAutofill: async () => (await chunk(() => import('./sdk.ts'))).SignIn.canAutofill(),
    challenge: async (...given) => (await loaded()).challenge(...given),
    logIn: async (...given) => (await loaded()).logIn(...given),
    register: async (...given) => (await loaded()).register(...given),
    registerPasskey: async (...given) =>
      (await loaded()).registerPasskey(...given).catch(saidAs('InvalidStateError', words.passkeyThere)),
    startOnboarding: async (...given) => (await loaded()).startOnboarding(...given),
    usePasskey: async (...given) => (await loaded()).usePasskey(...given),
    verifyTicket: async (...given) => (await loaded()).verifyTicket(...given),
  }
}
