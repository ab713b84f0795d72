import type { DiscoveryDocument } from '@svc/protocol/http/discovery-document'
import { published } from '@svc/protocol/http/service-keys'
import { SERVICE_AUDIENCES, type Service } from '@svc/service'
import type { Config } from '../env.ts'
import { capabilitiesOf, originOf } from './capabilities.ts'
import { limitsOf } from './limits.ts'
import { allKeys, type OwnKeys } from './own-keys.ts'

export async function documentOf(config: Config, keys: OwnKeys, now: number): Promise<DiscoveryDocument> {
  const { features, storage } = capabilitiesOf(config, null)
  const core = originOf(config)
  const service = (name: Service, url: string) => ({
    url,
    audiences: [...SERVICE_AUDIENCES[name]],
    openapi: `${url}/openapi.json`,
  })
  const { provenance, consent, did, keys: directory, auth, pay, docs } = config.SERVICES
  return {
    version: 1,
    issuedAt: now,
    realm: config.REALMS[0],
    realms: config.REALMS,
    services: {
      core: service('core', core),
      provenance: service('provenance', provenance),
      consent: service('consent', consent),
      did: service('did', did),
      keys: service('keys', directory),
      auth: service('auth', auth),
      pay: service('pay', pay),
      docs: service('docs', docs),
    },
    keys: published(await allKeys(keys, now), now),
    // Core serves the same list; one address is enough.
    logs: { listUrl: `${directory}/api/transparency/logs`, keys: keys.logList },
    anchors: {
      publisherKeyB64u: config.PUBLISHER_PUBLIC_KEY || null,
      operatorKeyB64u: config.OPERATOR_PUBLIC_KEY || null,
    },
    capabilities: {
      chainProfiles: features.chain.profiles,
      assertionVersions: features.assertions.versions,
      rotationVersions: features.rotation.versions,
      rotationWindowMs: features.rotation.windowMs,
      pinning: storage.pinning,
      url: `${core}/api/capabilities`,
    },
    limits: limitsOf({ notesQuotaBytes: config.NOTES_QUOTA_BYTES }),
  }
}
