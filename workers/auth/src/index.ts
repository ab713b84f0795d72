import { env } from 'cloudflare:workers'
import { meterInto } from '@svc/service'
import { app } from './app.ts'

export { CounterObject } from '@svc/service/counter-object'
export { CeremonyObject } from './ceremony/object.ts'

meterInto(env)

export default app
