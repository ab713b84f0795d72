import type { SignIn } from '@svc/client/sign-in'

/** What people do here with an account. */
export type SignInActs = Pick<
  SignIn,
  'challenge' | 'logIn' | 'register' | 'registerPasskey' | 'startOnboarding' | 'usePasskey' | 'verifyTicket'
> & { readonly canAutofill: () => Promise<boolean> }

/** By the SDK, which is loaded by the first of them: after the page is shown. */
export function signInActs(auth: string): SignInActs {
  let loading: Promise<SignIn> | undefined
  const loaded = () => {
    loading ??= import('./sign-in.ts').then(
      ({ SignIn }) => new SignIn({ auth }),
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  return {
    canAutofill: async () => (await import('./sign-in.ts')).SignIn.canAutofill(),
    challenge: async (...given) => (await loaded()).challenge(...given),
    logIn: async (...given) => (await loaded()).logIn(...given),
    register: async (...given) => (await loaded()).register(...given),
    registerPasskey: async (...given) => (await loaded()).registerPasskey(...given),
    startOnboarding: async (...given) => (await loaded()).startOnboarding(...given),
    usePasskey: async (...given) => (await loaded()).usePasskey(...given),
    verifyTicket: async (...given) => (await loaded()).verifyTicket(...given),
  }
}
