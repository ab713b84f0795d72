/** better-auth with passwords, on PostgreSQL. */
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import pg from 'pg'
import { answer } from './answer.mjs'

const password = 'correct horse battery staple'
const body = (i) => JSON.stringify({ email: `person-${i}@example.com`, password, name: `Person ${i}` })

answer({
  async start({ url }) {
    const options = {
      baseURL: 'http://127.0.0.1',
      secret: 'a secret of a benchmark, which protects nothing',
      database: new pg.Pool({ connectionString: url }),
      emailAndPassword: { enabled: true },
      rateLimit: { enabled: false },
      telemetry: { enabled: false },
    }
    const { runMigrations } = await getMigrations(options)
    await runMigrations()
    const server = createServer(toNodeHandler(betterAuth(options)))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server.address().port
  },
  signUp: ({ count }) =>
    Array.from({ length: count }, (_, i) => ({ method: 'POST', path: '/api/auth/sign-up/email', body: body(i) })),
  signIn: ({ count }) =>
    Array.from({ length: count }, (_, i) => ({ method: 'POST', path: '/api/auth/sign-in/email', body: body(i) })),
})
