import { Link } from '../shell/link.tsx'
import { Heading } from './heading.tsx'
import { PROVIDER_LABELS } from './provider.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import type { SignInTools } from './tools.ts'

export function RecoverPage({ signIn, providers, from }: SignInTools) {
  return (
    <section class="card">
      <Heading>Recover your account</Heading>
      {from ? (
        <p class="note">
          You have an account already, from {PROVIDER_LABELS[from.provider]}. <Link to="/sign-in">Sign in to it</Link>
        </p>
      ) : (
        <>
          <p>Show who you are with the account that you used when you created this one.</p>
          <ProviderButtons signIn={signIn} providers={providers} />
        </>
      )}
      <p class="more">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </section>
  )
}
