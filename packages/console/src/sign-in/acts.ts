import type { SignIn } from '@svc/client/sign-in'

/** What people do here with an account. */
export type SignInActs = Pick<
  SignIn,
  'challenge' | 'logIn' | 'register' | 'registerPasskey' | 'startOnboarding' | 'usePasskey' | 'verifyTicket'
> & { readonly canAutofill: () => Promise<boolean> }

/** By the SDK, which is loaded by the first of them: after the page is shown. */
export function signInActs(auth: string): SignInActs {
  let made: SignIn | undefined
  const loaded = async () => {
    const { SignIn } = await import('./sdk.ts')
    made ??= new SignIn({ auth })
    return made
  }
  return {
    canAutofill: async () => (await import('./sdk.ts')).SignIn.canAutofill(),
    challenge: async (...given) => (await loaded()).challenge(...given),
    logIn: async (...given) => (await loaded()).logIn(...given),
    register: async (...given) => (await loaded()).register(...given),
    registerPasskey: async (...given) => (await loaded()).registerPasskey(...given),
    startOnboarding: async (...given) => (await loaded()).startOnboarding(...given),
    usePasskey: async (...given) => (await loaded()).usePasskey(...given),
    verifyTicket: async (...given) => (await loaded()).verifyTicket(...given),
  }
}
