import { type CounterService, LooseObjects, OperatorStore, TakedownList } from '@svc/service'
import type { Config } from '../env.ts'
import type { StorageBudget } from '../storage/service.ts'
import { BlockSource } from './block-source.ts'
import { ContentService } from './content-service.ts'
import { FetchAllowance } from './fetch-allowance.ts'
import { PinStore } from './pin-store.ts'
import { PinningService } from './service.ts'

type Fetches = (url: string, init: RequestInit) => Promise<Response>

export interface ContentServices {
  readonly content: ContentService
  readonly pinning: PinningService
  readonly pins: PinStore
  readonly allowance: FetchAllowance
  readonly takedowns: TakedownList
}

export function contentOf(env: Env, config: Config, budget: StorageBudget, counters: CounterService): ContentServices {
  const fetches: Fetches = (url, init) => fetch(url, init)
  const loose = new LooseObjects(env.DB, env.BLOBS)
  const allowance = new FetchAllowance(counters)
  const pins = new PinStore(env.DB, loose)
  const takedowns = new TakedownList(env.DB, new OperatorStore(env.CONTROL_DB))
  const source = new BlockSource(env.BLOBS, { origin: config.IPFS_GATEWAY, fetch: fetches })
  const content = new ContentService(source, pins, takedowns)
  const pinning = new PinningService(
    {
      provider: config.PINNING_PROVIDER,
      endpoint: config.PINNING_ENDPOINT,
      token: config.PINNING_TOKEN,
      fetch: fetches,
    },
    { content, store: pins, loose, budget, allowance },
  )
  return { content, pinning, pins, allowance, takedowns }
}
