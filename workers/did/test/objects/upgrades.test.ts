import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { NONCE_GUARD_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'

describeUpgrades(worker, { NonceGuard: seeded(env.NONCES, NONCE_GUARD_SEEDS) }, env)
