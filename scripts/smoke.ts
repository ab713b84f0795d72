import { parseArgs, styleText } from 'node:util'
import { firstSentence, WORKER_NAMES } from './lib/workspace.ts'
import { type Deployment, readDeployment } from './operations/deployment.ts'
import { smoke } from './operations/smoke.ts'

const HELP = `Usage: scripts/smoke URL... [options]

Looks at services from outside, each at its URL, in any order. Writes nothing and needs no credential: every
protected route of the committed OpenAPI documents is asked once without one.

  --deployment ENVIRONMENT    the eight services of deployments/ENVIRONMENT.json
  --sha COMMIT                the build that they must report
  --origin ORIGIN             one that they allow; --deployment knows it
  --help                      show this`

try {
  await run()
} catch (error) {
  console.error(`${firstSentence(error)}; scripts/smoke --help lists the options.`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const options = {
    deployment: { type: 'string' },
    sha: { type: 'string' },
    origin: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  const deployed = values.deployment === undefined ? [] : canonicalHosts(readDeployment(values.deployment))
  const hosts = [...positionals.map((url) => ({ url, origin: undefined })), ...deployed]
  if (values.help || hosts.length === 0) {
    console.log(HELP)
    process.exitCode = values.help ? 0 : 2
    return
  }
  let failed = 0
  for (const { url, origin } of hosts) {
    const { service, checks } = await smoke(url, { sha: values.sha, origin: values.origin ?? origin })
    console.log(styleText('bold', `${service}  ${url}`))
    for (const { name, fault } of checks)
      console.log(`  ${fault === null ? 'ok  ' : 'FAIL'} ${name}${fault === null ? '' : `: ${fault}`}`)
    failed += checks.filter(({ fault }) => fault !== null).length
  }
  if (failed > 0) process.exitCode = 1
}

/** Each with the first Origin that its environment allows there. */
function canonicalHosts({ hosts, vars }: Deployment): { url: string; origin: string | undefined }[] {
  return WORKER_NAMES.map((worker) => {
    const allowed = vars[worker]?.['ALLOWED_ORIGINS'] ?? vars.all?.['ALLOWED_ORIGINS']
    const [origin] = Array.isArray(allowed) ? (allowed as readonly unknown[]) : []
    return { url: `https://${hosts[worker][0]}`, origin: typeof origin === 'string' ? origin : undefined }
  })
}
