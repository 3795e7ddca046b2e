# shellcheck shell=bash
# What the examples share. To be sourced. CHECKOUTD_TOOL says what talks to the daemon: nc, socat or checkoutctl.
#
# Everyone on the machine can see the arguments of a process. So tokens, and what shoppers type, only go through
# builtins, pipes and here-strings.

socket=${CHECKOUTD_SOCKET:-/run/checkoutd/checkoutd.sock}
tool=${CHECKOUTD_TOOL:-nc}

# Says to the daemon what standard input has, and prints what it answers, until it closes the connection.
talk() {
  case $tool in
    nc) nc -N -U "$socket" ;;
    socat) socat -t 3600 - UNIX-CONNECT:"$socket" ;;
  esac 2>/dev/null
}

# The line of a call: a method and its parameters.
line() { printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}\n' "$1" "$2"; }

# Makes a call and prints its result. Returns 1 after printing an error, and 2 if nobody answered.
call() {
  local reply
  if [[ $tool == checkoutctl ]]; then
    printf '%s' "$2" | checkoutctl --socket "$socket" call "$1" -
    return
  fi
  reply=$(line "$1" "$2" | talk) || true
  [[ -n $reply ]] || return 2
  if jq -ce '.error // empty' <<<"$reply" >&2; then return 1; fi
  jq -c .result <<<"$reply"
}

# The same for calls that may be made twice: goes on until the daemon is there again.
ask() {
  local attempt status
  for ((attempt = 0; attempt < 100; attempt++)); do
    if call "$@"; then return; else status=$?; fi
    ((status == 2)) || return "$status"
    sleep 0.1
  done
  printf 'checkoutd does not answer at %s\n' "$socket" >&2
  return 2
}

# A text as JSON.
quoted() { printf '%s' "$1" | jq -Rs .; }

# What a jq filter says of some JSON.
of() { jq -r "$2" <<<"$1"; }

# Asks the shopper; the answer is the next line of standard input.
question() {
  printf '%s ' "$1" >&2
  IFS= read -r answer
}

# Starts the checkout of a key, or finds it as it is. The token is the next line of standard input.
start() {
  local key=$1 settings=$2 answer
  question 'Client token?'
  ask checkout.start "{\"clientToken\":$(quoted "$answer"),\"startKey\":$(quoted "$key"),\"settings\":$settings}"
}

# Has a component made by a manager's call, and started if it is not yet; prints its id.
component() {
  local provided id
  provided=$(ask "$1" "{\"checkoutId\":$2,\"paymentMethodType\":\"$3\"}") || return
  id=$(of "$provided" .componentId)
  if [[ $(of "$provided" .state.step.name) == notInitialized ]]; then
    call component.start "{\"componentId\":\"$id\"}" >/dev/null || return
  fi
  printf '%s\n' "$id"
}

# Hands over what the shopper typed: the component, the field, the text. Says what is wrong with it.
update() {
  local validation
  validation=$(call component.updateCollectedData "{\"componentId\":\"$1\",\"data\":{\"$2\":$(quoted "$3")}}") || return
  of "$validation" '.errors[]?.description' >&2
  [[ $(of "$validation" .status) == valid ]]
}

report_account() {
  local answer
  printf 'Show the collector of bank accounts, with the client secret %s\n' "$(of "$2" .info.clientSecret)" >&2
  question 'Its payment id (nothing if it was cancelled)?'
  if [[ -n $answer ]]; then
    call component.reportBankAccount "{\"componentId\":$1,\"outcome\":\"succeeded\",\"paymentId\":$(quoted "$answer")}"
  else
    call component.reportBankAccount "{\"componentId\":$1,\"outcome\":\"cancelled\"}"
  fi
}

answer_mandate() {
  local answer
  of "$2" '.info | .text // "\(.merchantName) may debit your account."' >&2
  question 'Do you accept (yes or no)?'
  case $answer in
    yes) call component.acceptMandate "{\"componentId\":$1}" ;;
    *) call component.declineMandate "{\"componentId\":$1}" ;;
  esac
}

# Does what a submitted checkout waits for until it ends, and prints how: outcome, payment, status. Returns 6 if nobody
# knows whether the payment was made, and 1 if it was not.
go_on() {
  local wanted='"awaiting","terminal"' waited awaited component outcome
  while :; do
    waited=$(ask checkout.wait "{\"checkoutId\":$1,\"for\":[$wanted],\"waitMs\":60000}") || return
    outcome=$(of "$waited" .snapshot.outcome)
    if [[ $outcome != null ]]; then
      of "$waited" '.snapshot | "\(.outcome) \(.payment.id // "-") \(.payment.status // "-")"'
      [[ $outcome =~ ^(success|pending|handledByClient)$ ]] && return
      [[ $outcome == unknown ]] || return 1
      printf 'Look up order %s before another payment is started.\n' "$(of "$waited" .snapshot.clientSession.orderId)" >&2
      return 6
    fi
    awaited=$(of "$waited" '.snapshot.awaiting[0] // {}')
    component=$(of "$waited" '.snapshot.components[-1].componentId | tojson')
    case $(of "$awaited" .kind) in
      redirect)
        printf 'Open %s\n' "$(of "$awaited" .url)" >&2
        wanted='"terminal"'
        ;;
      bankAccount) report_account "$component" "$awaited" >/dev/null || return ;;
      mandate) answer_mandate "$component" "$awaited" >/dev/null || return ;;
      decision)
        printf 'Somebody has to decide: %s\n' "$(of "$awaited" .decisionId)" >&2
        wanted='"terminal"'
        ;;
    esac
  done
}
