import { Button } from '../shell/button.tsx'
import { words } from '../words/sign-in/words.ts'
import type { SignInActs } from './acts.ts'
import { leaveFor, PROVIDER_LABELS, type ProviderName } from './provider.ts'

interface ProviderButtonsProps {
  readonly signIn: SignInActs
  readonly providers: readonly ProviderName[]
}

export function ProviderButtons({ signIn, providers }: ProviderButtonsProps) {
  return (
    <div class="stack">
      {providers.map((provider) => (
        <Button key={provider} look="plain" onPress={() => leaveFor(signIn, provider)}>
          {words.continueWith(PROVIDER_LABELS[provider])}
        </Button>
      ))}
    </div>
  )
}
