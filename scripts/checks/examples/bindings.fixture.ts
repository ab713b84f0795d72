import type { RawConfig } from '@svc/operations/worker-deployment'

/** The names of a Worker's bindings, except rate limits. */
export function bindingsOf(
  config: RawConfig & { readonly send_email?: readonly { readonly name: string }[] },
): string[] {
  const { services = [], d1_databases = [], kv_namespaces = [], r2_buckets = [], vectorize = [] } = config
  const { durable_objects, send_email = [], analytics_engine_datasets = [], assets } = config
  return [
    ...[...services, ...d1_databases, ...kv_namespaces, ...r2_buckets, ...vectorize, ...analytics_engine_datasets].map(
      ({ binding }) => binding,
    ),
    ...[...(durable_objects?.bindings ?? []), ...send_email].map(({ name }) => name),
    ...(assets?.binding === undefined ? [] : [assets.binding]),
  ]
}
