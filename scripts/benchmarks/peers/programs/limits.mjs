/** rate-limiter-flexible on PostgreSQL or Redis, in one process. */
import Redis from 'ioredis'
import pg from 'pg'
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import { answer } from './answer.mjs'

const KEYS = 100
const options = { points: 1_000_000_000, duration: 2_592_000 }
let limiter

answer({
  async postgres({ url }) {
    const storeClient = new pg.Pool({ connectionString: url, max: 16 })
    await new Promise((resolve, reject) => {
      limiter = new RateLimiterPostgres({ ...options, storeClient }, (error) => (error ? reject(error) : resolve()))
    })
  },
  redis({ port }) {
    limiter = new RateLimiterRedis({ ...options, storeClient: new Redis(port) })
  },
  /** Milliseconds. */
  async consume({ count, concurrency }) {
    let next = 0
    const startedAt = performance.now()
    const caller = async () => {
      while (next < count) await limiter.consume(`person-${next++ % KEYS}`)
    }
    await Promise.all(Array.from({ length: concurrency }, caller))
    return performance.now() - startedAt
  },
})
