import { styleText } from 'node:util'
import { runEntry, UsageError } from '@svc/platform/entry'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { type Deployment, readDeployment } from '../deployment.ts'
import { smoke } from '../smoke.ts'

const HELP = `Usage: scripts/smoke URL... [options]

Checks services from outside, each at its URL, in any order. It writes nothing and needs no credential: it calls every
protected route of the committed OpenAPI documents once without one, and expects a refusal.

  --deployment ENVIRONMENT    check the eight services of deployments/ENVIRONMENT.json
  --sha COMMIT                the commit that they must report
  --origin ORIGIN             an Origin that they allow (default: the first that --deployment lists)
  --help                      show this`

await runEntry({
  name: 'scripts/smoke',
  help: HELP,
  operands: true,
  options: { deployment: { type: 'string' }, sha: { type: 'string' }, origin: { type: 'string' } },
  async run({ values, positionals }) {
    const deployed = values.deployment === undefined ? [] : canonicalHosts(readDeployment(values.deployment))
    const hosts = [...positionals.map((url) => ({ url, origin: undefined })), ...deployed]
    if (hosts.length === 0) throw new UsageError('Name a URL or a --deployment')
    const wrong = positionals.find((url) => !URL.canParse(url))
    if (wrong !== undefined) throw new UsageError(`'${wrong}' is not a URL`)
    let failed = 0
    for (const { url, origin } of hosts) {
      const { service, checks } = await smoke(url, { sha: values.sha, origin: values.origin ?? origin })
      console.log(styleText('bold', `${service}  ${url}`))
      for (const { name, fault, note } of checks) {
        const found = fault ?? note
        console.log(`  ${fault === null ? 'ok  ' : 'FAIL'} ${name}${found === undefined ? '' : `: ${found}`}`)
      }
      failed += checks.filter(({ fault }) => fault !== null).length
    }
    return failed > 0 ? 1 : 0
  },
})

/** Each host with the first Origin that its environment allows there. */
function canonicalHosts({ hosts, vars }: Deployment): { url: string; origin: string | undefined }[] {
  return WORKER_NAMES.map((worker) => {
    const allowed = vars[worker]?.['ALLOWED_ORIGINS'] ?? vars.all?.['ALLOWED_ORIGINS']
    const [origin] = Array.isArray(allowed) ? (allowed as readonly unknown[]) : []
    return { url: `https://${hosts[worker][0]}`, origin: typeof origin === 'string' ? origin : undefined }
  })
}
