# shellcheck shell=bash
# Completion of checkoutctl's command line, for bash: commands, options, files, and the names of methods and events.

# BEGIN tables (made by client/man/generate)
_checkoutctl_commands='start pay list show banks follow wait cancel call batch status metrics connections backup discover'
_checkoutctl_methods='
  system.hello
  system.ping
  system.echo
  system.status
  system.metrics
  system.connections
  system.allowQuestions
  system.backup
  system.reload
  rpc.discover
  checkout.start
  checkout.get
  checkout.wait
  checkout.list
  checkout.cancel
  checkout.decide
  checkout.share
  checkout.unshare
  componentWithRedirectManager.provideBanksComponent
  componentWithRedirectManager.provide
  nativeUIManager.provide
  rawDataManager.provide
  achManager.provide
  component.start
  component.updateCollectedData
  component.submit
  component.get
  component.reportRedirect
  component.reportBankAccount
  component.acceptMandate
  component.declineMandate
  events.subscribe
  events.unsubscribe
  events.read
'
_checkoutctl_events='
  terminal
  awaiting
  checkout.didLoadAvailablePaymentMethods
  component.didReceiveStep
  component.didUpdateValidationStatus
  component.didReceiveError
  checkout.willCreatePayment
  checkout.didStartTokenization
  checkout.didTokenizePaymentMethod
  checkout.didReceiveAdditionalInfo
  checkout.didResumeWith
  checkout.willUpdateClientSession
  checkout.didUpdateClientSession
  checkout.didCompleteCheckout
  checkout.didFail
'
_checkoutctl_states='
  starting
  ready
  submitted
  awaitingDecision
  awaitingRedirect
  awaitingBankAccount
  awaitingMandate
  awaitingCode
  awaitingConfirmation
  processing
  cancelling
  completed
  failed
  archived
'
_checkoutctl_handlings='
  auto
  manual
'
_checkoutctl_common='-s --socket -t --timeout -V --version -h --help'
declare -gA _checkoutctl_options=(
  [start]='--token-file -k --start-key --handling --locale --url-scheme --publishable-key --merchant-name --mandate-text --settings --decide --decision-timeout --allow-repeat -w --wait --retry -j --json'
  [pay]='--token-file -k --start-key --locale --url-scheme --publishable-key --merchant-name --mandate-text --settings --data --allow-repeat --retry -j --json'
  [list]='--state --shared -a --all -j --json'
  [show]='-j --json'
  [banks]='--retry -j --json'
  [follow]='--shared -a --all -w --wait --since --retry -j --json'
  [wait]='-w --wait --since --retry -j --json'
  [cancel]='--reason -w --wait --retry -j --json'
  [call]='--token-file'
  [batch]='--sequential'
  [status]='-j --json'
  [metrics]='-j --json'
  [connections]='-j --json'
  [backup]='-j --json'
  [discover]='-j --json'
)
declare -gA _checkoutctl_operands=(
  [show]='CHECKOUT'
  [banks]='CHECKOUT'
  [follow]='[CHECKOUT]'
  [wait]='CHECKOUT'
  [cancel]='CHECKOUT'
  [call]='METHOD [JSON|-]'
  [backup]='FILE'
)
declare -gA _checkoutctl_values=(
  [-s]=PATH [--socket]=PATH
  [-t]=MS [--timeout]=MS
  [--token-file]=FILE
  [-k]=KEY [--start-key]=KEY
  [--handling]=HOW
  [--locale]=NAME
  [--url-scheme]=NAME
  [--publishable-key]=KEY
  [--merchant-name]=NAME
  [--mandate-text]=TEXT
  [--settings]=FILE
  [--data]=FILE
  [--decision-timeout]=MS
  [--state]=STATE
  [--reason]=TEXT
  [-w]=EVENT [--wait]=EVENT
  [--since]=SEQ
  [--retry]=MS
)
# END tables

# Offers the words that may stand where something with this name is asked for.
_checkoutctl_offer() {
  local words=''
  case $1 in
    FILE | PATH)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$2")
      return
      ;;
    METHOD) words=$_checkoutctl_methods ;;
    EVENT) words=$_checkoutctl_events ;;
    STATE) words=$_checkoutctl_states ;;
    HOW) words=$_checkoutctl_handlings ;;
    *'|-'* | *'-|'*) words=- ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}

_checkoutctl() {
  local word=${COMP_WORDS[COMP_CWORD]} command='' option='' place count=0
  local -a operands=()
  COMPREPLY=()
  # Bash takes --option=value apart at the sign.
  [[ $word != = ]] || word=''
  for ((place = 1; place < COMP_CWORD; place++)); do
    local before=${COMP_WORDS[place]}
    if [[ $before == = ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $before == -?* ]]; then
      option=${_checkoutctl_values[$before]-}
    elif [[ -z $command ]]; then
      command=$before
    else
      count=$((count + 1))
    fi
  done
  read -ra operands <<<"${_checkoutctl_operands[${command:-none}]-}"
  if [[ -n $option ]]; then
    _checkoutctl_offer "$option" "$word"
  elif [[ $word == -?* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$_checkoutctl_common ${_checkoutctl_options[${command:-none}]-}" -- "$word")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$_checkoutctl_commands" -- "$word")
  elif ((count < ${#operands[@]})); then
    _checkoutctl_offer "${operands[count]//[\[\]]/}" "$word"
  fi
}

complete -F _checkoutctl checkoutctl
