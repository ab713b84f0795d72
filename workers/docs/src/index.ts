import { env } from 'cloudflare:workers'
import { meterInto } from '@svc/service'
import { app } from './app.ts'

meterInto(env)

export default app
