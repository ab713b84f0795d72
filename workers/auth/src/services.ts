import type { Provider } from '@svc/protocol/sign-in'
import { BotChallenge, limiterOf, type Runtime, readConfig } from '@svc/service'
import { AccountStore } from './accounts/account-store.ts'
import { CeremonyService } from './ceremony/ceremony-service.ts'
import { ChallengeService } from './challenge/challenge-service.ts'
import { type AuthConfig, authConfigSchema } from './env.ts'
import { Keyring } from './keyring.ts'
import { OpaqueService } from './opaque/opaque-service.ts'
import { OpaqueStore } from './opaque/opaque-store.ts'
import { PageStore } from './page/page-store.ts'
import { PasskeyService } from './passkeys/passkey-service.ts'
import { PasskeyStore } from './passkeys/passkey-store.ts'
import { OnboardingService } from './providers/onboarding-service.ts'
import { ProviderClient } from './providers/provider-client.ts'
import { SessionService } from './sessions/session-service.ts'
import { SessionStore } from './sessions/session-store.ts'

type Limiter = Runtime<unknown>['limiter']

export interface Services {
  readonly config: AuthConfig
  readonly accounts: AccountStore
  readonly ceremonies: CeremonyService
  readonly challenges: ChallengeService
  readonly opaque: OpaqueService
  readonly passkeys: PasskeyService
  readonly onboarding: OnboardingService
  readonly sessions: SessionService
  readonly page: PageStore
  readonly limiter: Limiter
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(authConfigSchema, env)
  const isLocal = config.ENVIRONMENT === 'local'
  const keyring = new Keyring(config.OPAQUE_SERVER_SEED)
  const ceremonies = new CeremonyService(env.CEREMONIES, keyring)
  const accounts = new AccountStore(env.DB)
  const sessions = new SessionStore(env.DB)
  const challenge = new BotChallenge({
    secret: config.TURNSTILE_SECRET,
    isLocal,
    fetch: (url, init) => fetch(url, init),
  })
  const limiter = limiterOf('auth', env)
  return {
    config,
    limiter,
    deps: {
      config,
      limiter,
      accounts,
      ceremonies,
      challenges: new ChallengeService(challenge, ceremonies, {
        hostnames: config.CHALLENGE_HOSTNAMES,
        isOpen: config.OPEN_REGISTRATION === 'on',
      }),
      opaque: new OpaqueService(new OpaqueStore(env.DB), accounts, ceremonies, keyring),
      passkeys: new PasskeyService(new PasskeyStore(env.DB), accounts, ceremonies, sessions, {
        id: config.RP_ID,
        name: config.RP_NAME,
        origins: config.RP_ORIGINS,
      }),
      onboarding: new OnboardingService(
        {
          google: providerOf('google', config, config.GOOGLE_CLIENT_ID, config.GOOGLE_CLIENT_SECRET),
          microsoft: providerOf('microsoft', config, config.MICROSOFT_CLIENT_ID, config.MICROSOFT_CLIENT_SECRET),
        },
        config.RETURN_URLS,
        ceremonies,
        accounts,
        keyring,
      ),
      sessions: new SessionService(sessions),
      page: new PageStore(env.PAGE, isLocal),
    },
  }
}

/** Null where the deployment has not set the provider up whole. */
function providerOf(
  name: Provider,
  config: AuthConfig,
  clientId: string,
  clientSecret: string | undefined,
): ProviderClient | null {
  const issuer = name === 'google' ? config.GOOGLE_ISSUER : config.MICROSOFT_ISSUER
  if (issuer === '' || clientId === '' || !clientSecret) return null
  return new ProviderClient({
    issuer,
    clientId,
    clientSecret,
    redirectUri: `${config.PUBLIC_ORIGINS[0]}/api/auth/${name}/callback`,
    allowsHttp: config.ENVIRONMENT === 'local',
    fetch: (url, init) => fetch(url, init),
  })
}
