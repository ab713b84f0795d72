/** How much of something is used. The text beside it says the same. */
export function Bar({ used, limit }: { readonly used: number; readonly limit: number }) {
  const percent = limit === 0 ? 0 : Math.min(100, (100 * used) / limit)
  return (
    <svg aria-hidden="true">
      <rect class="whole" width="100%" height="100%" rx="3" />
      <rect class="used" width={`${percent}%`} height="100%" rx="3" />
    </svg>
  )
}
