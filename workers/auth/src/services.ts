import type { Provider } from '@svc/protocol/auth/sign-in'
import {
  BotChallenge,
  CounterService,
  limiterOf,
  type ObjectCommits,
  objectCommitsOf,
  objectsIn,
  type Runtime,
  readConfig,
  StaticFiles,
  seedVersionsOf,
} from '@svc/service'
import { AccountStore } from './accounts/store.ts'
import { CeremonyService } from './ceremony/service.ts'
import { ChallengeService } from './challenge/service.ts'
import { type Config, configSchema } from './env.ts'
import { Keyring } from './keyring.ts'
import { ConfirmationService } from './opaque/confirmation.ts'
import { RistrettoGroup } from './opaque/group.ts'
import { GuessService } from './opaque/guesses.ts'
import { KnownDeviceStore } from './opaque/known-device-store.ts'
import { AddressMail } from './opaque/mail.ts'
// By its name space: Node.js, which reads this file for the OpenAPI document, makes an instance of it without a default.
import * as ristretto from './opaque/ristretto.wasm'
import { OpaqueServer } from './opaque/rules.ts'
import { OpaqueService } from './opaque/service.ts'
import { OpaqueStore } from './opaque/store.ts'
import { PasskeyService } from './passkeys/service.ts'
import { PasskeyStore } from './passkeys/store.ts'
import { ProviderClient } from './providers/client.ts'
import { OnboardingService } from './providers/service.ts'
import { SessionService } from './sessions/service.ts'
import { SessionStore } from './sessions/store.ts'

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly accounts: AccountStore
  readonly ceremonies: CeremonyService
  readonly challenges: ChallengeService
  readonly opaque: OpaqueService
  readonly passkeys: PasskeyService
  readonly onboarding: OnboardingService
  readonly sessions: SessionService
  readonly guesses: GuessService
  readonly devices: KnownDeviceStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const isLocal = config.ENVIRONMENT === 'local'
  const server = new OpaqueServer(new RistrettoGroup(ristretto.default))
  const keyring = new Keyring(seedVersionsOf(env, 'OPAQUE_SERVER_SEED'), server)
  const ceremonies = new CeremonyService(objectsIn(env, env.CEREMONIES), keyring)
  const accounts = new AccountStore(env.DB)
  const sessionStore = new SessionStore(env.DB)
  const sessions = new SessionService(sessionStore)
  const counters = new CounterService(objectsIn(env, env.COUNTERS))
  const devices = new KnownDeviceStore(env.DB)
  const mail = new AddressMail(env.MAIL, { email: config.MAIL_FROM, name: config.MAIL_FROM_NAME }, config.RP_NAME)
  const confirmations = new ConfirmationService(mail, ceremonies, counters, keyring)
  const challenge = new BotChallenge({
    secret: config.TURNSTILE_SECRET,
    isLocal,
    fetch: (url, init) => fetch(url, init),
  })
  return {
    config,
    limiter: limiterOf('auth', env),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('auth', env),
      accounts,
      ceremonies,
      challenges: new ChallengeService(challenge, ceremonies, {
        hostnames: config.CHALLENGE_HOSTNAMES,
        isOpen: config.OPEN_REGISTRATION === 'on',
      }),
      guesses: new GuessService(counters),
      devices,
      opaque: new OpaqueService(
        server,
        { store: new OpaqueStore(env.DB), accounts, devices, confirmations },
        ceremonies,
        keyring,
      ),
      passkeys: new PasskeyService(
        new PasskeyStore(env.DB),
        accounts,
        ceremonies,
        { store: sessionStore, service: sessions },
        {
          id: config.RP_ID,
          name: config.RP_NAME,
          origins: config.RP_ORIGINS,
        },
      ),
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
      sessions,
    },
  }
}

/** Null if the provider is not fully configured. */
function providerOf(
  name: Provider,
  config: Config,
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
